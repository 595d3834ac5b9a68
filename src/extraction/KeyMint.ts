/**
 * The memory key of a fact, from its subject and attribute alone: `user/<attribute>` for the user himself, `person/<subject>/
 * <attribute>` for a named one, `thing/<name>/<attribute>` for anything else. The value has no part in it, so what is said of
 * the same attribute later lands on the same key. Case, spaces and the usual other words for an attribute make no difference.
 * Next: `AttributeNames` (which attributes are one), `KeySlug` (how text becomes a segment).
 */
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { lowered } from "../platform/Analyzer.ts"
import { attributeName, isOfThings } from "./AttributeNames.ts"
import type { Fact } from "./FactModel.ts"
import { slugOf } from "./KeySlug.ts"

/** What a fact calls the user himself. */
export const USER = "user"

// A subject, its possessions and an attribute with its topic: more belongs into no key. Five of 64 letters stay below 512.
const MOST_SEGMENTS = 3

/** The key of a fact; `user` is the user's own name where it is known, else empty. Always a valid memory key. */
export const mintKey = ({ attribute, subject }: Pick<Fact, "subject" | "attribute">, user: string): string => {
  const [owner = "", ...possessions] = subjectParts(subject)
  const named = attribute.split("/").map((part) => part.trim()).filter((part) => part !== "")
  const [name = "", ...topics] = named
  const attributes = [attributeName(name), ...topics.map((topic) => slugOf(canonicalEntity(topic)))]
  const rest = [...possessions.map((one) => slugOf(canonicalEntity(one))), ...attributes].filter((one) => one !== "")
  const tail = (rest.length === 0 ? ["about"] : rest).slice(0, MOST_SEGMENTS)
  if (isUser(owner, user)) return ["user", ...tail].join("/")
  const isThing = looksLikeThing(owner) || isOfThings(attributes[0] ?? "")
  const slug = isThing ? slugOf(canonicalEntity(owner)) : slugOf(personName(owner))
  return [isThing ? "thing" : "person", slug === "" ? "unnamed" : slug, ...tail].join("/")
}

const plain = (text: string): string => lowered(text).replace(/[‘’]/g, "'").replace(/\s+/g, " ").trim()

/** "Caroline's sister" is Caroline, and of her the sister; "the user's dog" likewise. */
const subjectParts = (subject: string): ReadonlyArray<string> => {
  const text = plain(subject).replace(/^my (?=.)/, "user's ")
  const parts = text.split(/(?<=[^s\s])'s |(?<=s)'s? /u).map((part) => part.trim()).filter((part) => part !== "")
  return parts.length === 0 ? [text] : parts
}

const itself: ReadonlySet<string> = new Set(["user", "the user", "i", "me", "myself", "speaker", "the speaker"])

/** Whether the subject is the user: by any of the words for him, by his name or by its first part. */
const isUser = (owner: string, user: string): boolean => {
  const name = plain(user)
  return itself.has(owner) || (name !== "" && (owner === name || owner === name.split(" ")[0]))
}

const personName = (owner: string): string => owner.replace(/^(?:mr|mrs|ms|dr|prof)\.? (?=.)/, "").replace(/'s?$/, "")

// Words that a name of a person does not end with; common nouns for what people build, own and work with.
const things = new RegExp(
  `(?:^|[ _-])(?:${
    `account|api|app|application|bank|book|branch|bug|build|car|client|cluster|code|company|contract|database|deadline|deploy
    deployment|device|document|file|firm|function|gateway|group|house|index|job|key|laptop|library|machine|meeting|model
    module|office|page|pipeline|plan|policy|product|project|queue|release|report|repo|repository|room|school|script|server
    service|shop|site|store|studio|system|table|task|team|test|ticket|tool|university|version|website|worker`
      .split(/[|\s]+/).join("|")
  })s?$`
)

/** A subject with an article, a sign or a digit, or with a common noun at its end, names no person. */
const looksLikeThing = (owner: string): boolean =>
  /^(?:the|a|an|this|that|our|their|its) ./.test(owner) || /[\d_/@#\\(){}<>]|\w\.\w/.test(owner) || things.test(owner)
