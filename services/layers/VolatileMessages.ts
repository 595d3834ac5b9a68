/**
 * No message of the cluster is stored: a call that was lost is made again by whoever made it. To the library such a storage
 * still counts as one, unlike its own of the same kind: only then does it forget, at each of its polls, the number of every
 * message that an actor has answered. Else a process keeps them all, some 60 bytes a call, until it can take none (2^24).
 */
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as Layer from "effect/Layer"

// The library tells its own by identity.
export const layer: Layer.Layer<MessageStorage.MessageStorage> = Layer.succeed(MessageStorage.MessageStorage, {
  ...MessageStorage.noop
})
