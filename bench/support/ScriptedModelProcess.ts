/** The process of `ScriptedModel`: tells its port to its parent, and answers until it is killed. */
import * as Schema from "effect/Schema"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const Asked = Schema.Struct({ messages: Schema.Array(Schema.Struct({ content: Schema.String })) })
const decode = Schema.decodeUnknownSync(Schema.parseJson(Asked))

// A turn as the prompt holds it (`ExtractPrompt`): its number and its words.
const TURN = /"turn":(\d+),.*"text":"The ([\w ]+) of ([\w ]+) is ([\w ]+)\."/g

const replyTo = (body: string): string => {
  const material = decode(body).messages.at(-1)?.content ?? ""
  const facts = [...material.matchAll(TURN)].map(([, turn, attribute, subject, value]) => ({
    subject,
    attribute,
    text: `The ${attribute} of ${subject} is ${value}.`,
    turns: [Number(turn)],
    about_other: true,
    type: "semantic",
    date: null,
    confidence: 0.9
  }))
  return JSON.stringify({ forgets: [], facts })
}

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const content = replyTo(Buffer.concat(chunks).toString("utf8"))
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      model: "scripted",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
      usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 }
    }))
  })
})

const portOf = (address: AddressInfo | string | null): number =>
  address === null || typeof address === "string" ? 0 : address.port

server.listen(0, "127.0.0.1", () => process.send?.(portOf(server.address())))
