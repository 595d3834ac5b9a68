/**
 * The public RPC group, spelled out so that every call keeps its types. The wire of a call is the verb's encoded payload
 * and answer, and a `LoomError`; the server takes payloads raw and decodes them as strictly as it does over HTTP.
 */
import * as RpcGroup from "@effect/rpc/RpcGroup"
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

export const LoomRpcs = RpcGroup.make(
  MemorySet.rpc,
  MemoryBulkSet.rpc,
  MemoryGet.rpc,
  MemoryGetById.rpc,
  MemoryUpdate.rpc,
  MemoryUpdateById.rpc,
  MemoryDelete.rpc,
  MemoryRestore.rpc,
  MemoryList.rpc,
  MemoryHistory.rpc,
  MemoryTimeline.rpc,
  MemorySetFromMessages.rpc,
  ExtractionList.rpc,
  ExtractionGet.rpc,
  ExtractionRetry.rpc,
  ExtractionDrop.rpc,
  MemoryPin.rpc,
  MemoryLock.rpc,
  MemoryTouch.rpc,
  MemoryApply.rpc,
  MemoryClear.rpc,
  MemoryReject.rpc,
  MemoryVerify.rpc,
  MemoryProposals.rpc,
  MemoryProposalDecide.rpc,
  MemorySearch.rpc,
  MemoryAsk.rpc,
  MemoryForFile.rpc,
  ContextPack.rpc,
  MemorySearchTrace.rpc,
  CalibrationGet.rpc,
  NamespaceRegister.rpc,
  NamespaceGet.rpc,
  NamespaceList.rpc,
  BlacklistAdd.rpc,
  BlacklistList.rpc,
  BlacklistRemove.rpc,
  MemoryProvenance.rpc,
  MemoryLineage.rpc,
  MemoryInspect.rpc,
  MemoryPromote.rpc,
  MemoryConsolidate.rpc,
  MemoryRedact.rpc,
  ConversationAppend.rpc,
  ConversationGet.rpc,
  ConversationList.rpc,
  ConversationSearch.rpc,
  ConversationDelete.rpc,
  MemoryRecall.rpc,
  MemoryEvidence.rpc,
  MemoryBacklinks.rpc,
  MemoryDigests.rpc,
  EntityList.rpc,
  ConflictsList.rpc,
  ConflictsResolve.rpc,
  NamespaceAudit.rpc,
  NamespaceValidate.rpc,
  NamespaceRollback.rpc,
  NamespaceReview.rpc,
  RunBegin.rpc,
  RunComplete.rpc,
  RunGet.rpc,
  RunList.rpc,
  MemoryOutcome.rpc,
  TokenMint.rpc,
  TokenRevoke.rpc,
  TokenList.rpc,
  OpsWorkers.rpc,
  OpsWorkerPause.rpc,
  OpsWorkerResume.rpc,
  OpsDeadLetters.rpc,
  OpsHealth.rpc,
  OpsCluster.rpc,
  ModelUsage.rpc
)
