import { assert, describe, it } from "@effect/vitest"
import { ActorMemory } from "../../src/memory/ActorMemory.ts"

const actorOf = (name: string, gone: Array<string>, isAtWork: () => boolean = () => false) => ({
  letGo: () => {
    if (isAtWork()) return false
    gone.push(name)
    return true
  }
})

describe("ActorMemory", () => {
  it("lets go what was used longest ago, as much as it must", () => {
    const gone: Array<string> = []
    const memory = new ActorMemory(100)
    const [a, b, c] = [actorOf("a", gone), actorOf("b", gone), actorOf("c", gone)]
    memory.used(a, 40)
    memory.used(b, 40)
    memory.used(a, 50)
    assert.deepStrictEqual(gone, [])
    memory.used(c, 30)
    assert.deepStrictEqual(gone, ["b"])
    assert.strictEqual(memory.bytes, 80)
    memory.used(b, 100)
    assert.deepStrictEqual(gone, ["b", "a", "c"])
    assert.strictEqual(memory.bytes, 100)
  })

  it("leaves alone who is at work, and who has just been used", () => {
    const gone: Array<string> = []
    const memory = new ActorMemory(100)
    let atWork = true
    const busy = actorOf("busy", gone, () => atWork)
    const idle = actorOf("idle", gone)
    const large = actorOf("large", gone)
    memory.used(busy, 90)
    memory.used(idle, 5)
    memory.used(large, 300)
    assert.deepStrictEqual(gone, ["idle"])
    assert.strictEqual(memory.bytes, 390)
    atWork = false
    memory.used(large, 60)
    assert.deepStrictEqual(gone, ["idle", "busy"])
    assert.strictEqual(memory.bytes, 60)
  })

  it("forgets who is gone", () => {
    const gone: Array<string> = []
    const memory = new ActorMemory(100)
    const [a, b] = [actorOf("a", gone), actorOf("b", gone)]
    memory.used(a, 80)
    memory.forget(a)
    memory.forget(a)
    assert.strictEqual(memory.bytes, 0)
    memory.used(b, 90)
    assert.deepStrictEqual(gone, [])
  })
})
