/**
 * What a failure of the embedding server means to those who can do something about it: one line with the setting to look
 * at for the operator's log, and for the caller an error that says whether trying again can help. The server's own words,
 * its address and its key are in neither; the log has the address, without a user or a query.
 */
import { Overloaded, refuse, Unavailable } from "../kernel/LoomError.ts"
import type { EmbedError } from "./Embedder.ts"
import type { EmbeddingsFailure } from "./EmbedderOpenAiRetry.ts"

/** The address without user, password, query and fragment, where secrets stand. */
export const plainUrl = (text: string): string => {
  if (!URL.canParse(text)) return "(unreadable)"
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}

const settingOf = (status: number | undefined): string =>
  status === 401 || status === 403 ? "LOOM_EMBEDDINGS_KEY" : "LOOM_EMBEDDINGS_URL and LOOM_EMBEDDINGS_MODEL"

/** The operator's line. */
export const adviceOf = ({ reason, received, status }: EmbeddingsFailure): string => {
  switch (reason) {
    case "transport":
      return "The embedding server gives no whole answer: is it up at LOOM_EMBEDDINGS_URL?"
    case "server":
      return "The embedding server is up and fails; its own log says why"
    case "overloaded":
      return "The embedding server is asked too often for its limit"
    case "refused":
      return "The embedding server refuses a text for good; if it refuses every text, check LOOM_EMBEDDINGS_MODEL and " +
        "LOOM_EMBEDDINGS_SEND_DIMS"
    case "rejected":
      return `The embedding server turns requests away: check ${settingOf(status)}`
    case "corrupt":
      return received === undefined
        ? "The embedding server answers something else than vectors: check LOOM_EMBEDDINGS_URL and LOOM_EMBEDDINGS_MODEL"
        : "The embedding server's vectors have another length than configured: check LOOM_EMBEDDINGS_DIMS and " +
          "LOOM_EMBEDDINGS_MODEL"
  }
}

/** The caller's error. */
export const shownOf = (
  { reason, received, retryAfter, status }: EmbeddingsFailure,
  { dimensions }: { readonly dimensions: number }
): EmbedError => {
  switch (reason) {
    case "overloaded":
      return new Overloaded({ retry_after_s: Math.max(1, Math.ceil((retryAfter ?? 1_000) / 1000)) })
    case "transport":
    case "server":
      return new Unavailable({ operation: "The embedding server" })
    case "refused":
      return refuse(
        "EMBEDDING_REFUSED",
        `The embedding server refuses this text for good (HTTP ${status}); shorten or reword it`
      )
    case "rejected":
      return refuse(
        "EMBEDDER_MISCONFIGURED",
        `The embedding server turns requests away (HTTP ${status}): the operator checks ${settingOf(status)}`
      )
    case "corrupt":
      return received === undefined
        ? refuse(
          "EMBEDDER_MISCONFIGURED",
          "The embedding server answers something else than vectors: the operator checks LOOM_EMBEDDINGS_URL and " +
            "LOOM_EMBEDDINGS_MODEL"
        )
        : refuse(
          "EMBEDDER_MISCONFIGURED",
          `The embedding server gives vectors of ${received} numbers where ${dimensions} are configured: the operator ` +
            "checks LOOM_EMBEDDINGS_DIMS and LOOM_EMBEDDINGS_MODEL",
          { expected_dimensions: dimensions, received_dimensions: received }
        )
  }
}
