/**
 * Whole namespaces when all is quiet: lists and the change feed must tell what the histories of the keys tell, and the audit
 * chain must hold.
 */
import { isLive } from "./Facts.ts"
import type { Facts, KeyFacts } from "./Facts.ts"
import type { Finding } from "./Finding.ts"

type Namespace = Facts["namespaces"][number]

export const checkNamespaces = ({ keys, namespaces }: Facts): ReadonlyArray<Finding> =>
  namespaces.flatMap((one) => {
    const mine = keys.filter(({ namespace }) => namespace === one.namespace)
    const broken = one.chainFaults.map((text): Finding => ({
      kind: "chain",
      namespace: one.namespace,
      key: "*",
      text,
      calls: []
    }))
    return [...listFindings(one, mine), ...feedFindings(one, mine), ...broken]
  })

/** The feed has each version once, in order, and nothing else. */
const feedFindings = ({ changes, namespace }: Namespace, keys: ReadonlyArray<KeyFacts>): ReadonlyArray<Finding> => {
  const expected = new Map(
    keys.flatMap(({ key, versions }) => versions.map(({ change, version }) => [version, `${key} ${change}`]))
  )
  const findings: Array<Finding> = []
  const wrong = (key: string, text: string) => void findings.push({ kind: "feed", namespace, key, text, calls: [] })
  let last = -1n
  for (const { change, key, version } of changes) {
    if (BigInt(version) <= last) wrong(key, `the feed shows version ${version} behind ${last}`)
    last = BigInt(version)
    const known = expected.get(version)
    if (known === undefined) wrong(key, `the feed shows version ${version} (${change}), which is not in the history`)
    else if (known !== `${key} ${change}`) wrong(key, `the feed shows version ${version} as ${change}, not as ${known}`)
    expected.delete(version)
  }
  for (const [version, what] of expected) wrong("*", `the feed lacks version ${version} of ${what}`)
  return findings
}

/** A list shows the live keys of a namespace with what their histories end with, and nothing else. */
const listFindings = ({ listed, namespace }: Namespace, keys: ReadonlyArray<KeyFacts>): ReadonlyArray<Finding> => {
  const expected = new Map(
    keys.flatMap((one) => {
      const last = one.versions[one.versions.length - 1]
      return last !== undefined && isLive(last.status) ? [[one.key, last.sha256]] : []
    })
  )
  const shown = new Map<string, string>()
  const wrong = (key: string, text: string): Finding => ({ kind: "stale_head", namespace, key, text, calls: [] })
  const findings: Array<Finding> = []
  for (const { key, sha256 } of listed) {
    if (shown.has(key)) findings.push(wrong(key, "the list shows the key twice"))
    shown.set(key, sha256)
    const last = expected.get(key)
    if (last === undefined) findings.push(wrong(key, "the list shows a key that is not live"))
    else if (last !== sha256) findings.push(wrong(key, "the list shows another value than the history ends with"))
  }
  for (const key of expected.keys()) {
    if (!shown.has(key)) findings.push(wrong(key, "the list lacks a live key"))
  }
  return findings
}
