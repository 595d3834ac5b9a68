/**
 * Every verb of Loom, in one list: what a client can call, what the public RPC group holds and what MCP offers are read
 * off it. A new verb is added here and in `LoomRpcs` and `LoomFamilies`; a test compares the three with the server.
 */
import { TokenList, TokenMint, TokenRevoke } from "../access/TokenVerbs.ts"
import { MemoryAsk } from "../ask/AskVerbs.ts"
import { BlacklistAdd, BlacklistList, BlacklistRemove } from "../blacklist/BlacklistVerbs.ts"
import { MemoryConsolidate } from "../consolidation/ConsolidationVerbs.ts"
import { MemoryForFile } from "../context/ForFileVerbs.ts"
import { ContextPack } from "../context/PackVerbs.ts"
import {
  ConversationAppend,
  ConversationDelete,
  ConversationGet,
  ConversationList
} from "../conversation/ConversationVerbs.ts"
import { MemoryEvidence } from "../conversation/EvidenceVerbs.ts"
import {
  ExtractionDrop,
  ExtractionGet,
  ExtractionList,
  ExtractionRetry,
  MemorySetFromMessages
} from "../extraction/ExtractionVerbs.ts"
import { MemoryBacklinks } from "../memory/BacklinkVerbs.ts"
import { CalibrationGet } from "../memory/CalibrationVerbs.ts"
import { ConflictsList, ConflictsResolve } from "../memory/ConflictVerbs.ts"
import { MemoryLock, MemoryPin, MemoryReject, MemoryTouch, MemoryVerify } from "../memory/LifecycleVerbs.ts"
import { MemoryTimeline } from "../memory/MemoryTimeVerbs.ts"
import {
  MemoryBulkSet,
  MemoryDelete,
  MemoryGet,
  MemoryGetById,
  MemoryHistory,
  MemoryList,
  MemoryRestore,
  MemorySet,
  MemoryUpdate,
  MemoryUpdateById
} from "../memory/MemoryVerbs.ts"
import { EntityList } from "../memory/NamedThingVerbs.ts"
import { NamespaceAudit, NamespaceRollback, NamespaceValidate } from "../memory/NamespaceReviewVerbs.ts"
import { MemoryPromote } from "../memory/PromoteVerbs.ts"
import { MemoryProposalDecide, MemoryProposals } from "../memory/ProposalVerbs.ts"
import { MemoryInspect, MemoryLineage, MemoryProvenance } from "../memory/ProvenanceVerbs.ts"
import { MemoryRedact } from "../memory/RedactVerbs.ts"
import { NamespaceReview } from "../memory/ReviewQueueVerbs.ts"
import { MemoryApply, MemoryClear } from "../memory/SweepVerbs.ts"
import { NamespaceGet, NamespaceList, NamespaceRegister } from "../namespace/NamespaceVerbs.ts"
import { OpsCluster } from "../ops/ClusterVerbs.ts"
import { ModelUsage } from "../ops/ModelVerbs.ts"
import { OpsDeadLetters, OpsHealth, OpsWorkerPause, OpsWorkerResume, OpsWorkers } from "../ops/OpsVerbs.ts"
import { MemoryDigests } from "../retrieval/DigestVerbs.ts"
import { MemorySearch, MemorySearchTrace } from "../retrieval/SearchVerbs.ts"
import { ConversationSearch, MemoryRecall } from "../retrieval/TurnVerbs.ts"
import { MemoryOutcome } from "../run/OutcomeVerbs.ts"
import { RunBegin, RunComplete, RunGet, RunList } from "../run/RunVerbs.ts"

export const allVerbs = [
  MemorySet,
  MemoryBulkSet,
  MemoryGet,
  MemoryGetById,
  MemoryUpdate,
  MemoryUpdateById,
  MemoryDelete,
  MemoryRestore,
  MemoryList,
  MemoryHistory,
  MemoryTimeline,
  MemorySetFromMessages,
  ExtractionList,
  ExtractionGet,
  ExtractionRetry,
  ExtractionDrop,
  MemoryPin,
  MemoryLock,
  MemoryTouch,
  MemoryApply,
  MemoryClear,
  MemoryReject,
  MemoryVerify,
  MemoryProposals,
  MemoryProposalDecide,
  MemorySearch,
  MemoryAsk,
  MemoryForFile,
  ContextPack,
  MemorySearchTrace,
  CalibrationGet,
  NamespaceRegister,
  NamespaceGet,
  NamespaceList,
  BlacklistAdd,
  BlacklistList,
  BlacklistRemove,
  MemoryProvenance,
  MemoryLineage,
  MemoryInspect,
  MemoryPromote,
  MemoryConsolidate,
  MemoryRedact,
  ConversationAppend,
  ConversationGet,
  ConversationList,
  ConversationSearch,
  ConversationDelete,
  MemoryRecall,
  MemoryEvidence,
  MemoryBacklinks,
  MemoryDigests,
  EntityList,
  ConflictsList,
  ConflictsResolve,
  NamespaceAudit,
  NamespaceValidate,
  NamespaceRollback,
  NamespaceReview,
  RunBegin,
  RunComplete,
  RunGet,
  RunList,
  MemoryOutcome,
  TokenMint,
  TokenRevoke,
  TokenList,
  OpsWorkers,
  OpsWorkerPause,
  OpsWorkerResume,
  OpsDeadLetters,
  OpsHealth,
  OpsCluster,
  ModelUsage
] as const

/**
 * Verbs in which `agent` and `session_id` name the writer of the row that is stored, or who runs. In every other verb they narrow
 * which row is meant, and a client leaves them to the request. (memory.pin stores a row when it is given a value.)
 */
export const writerVerbs: ReadonlyArray<string> = [
  MemorySet.tag,
  MemoryBulkSet.tag,
  MemoryPin.tag,
  MemorySetFromMessages.tag,
  ConversationAppend.tag,
  RunBegin.tag
]
