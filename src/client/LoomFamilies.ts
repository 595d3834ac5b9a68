/**
 * The shape in which a client shows the verbs: `memory.set`, `namespace.get`, … spelled out once, for any kind of call.
 * The kind (an Effect, a promise) is a type lambda: `In` is the verb's request, `Out1` its answer.
 */
import type { Kind, TypeLambda } from "effect/HKT"
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
import type { Verb } from "../kernel/Verb.ts"
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

/** Turns a verb into a function that calls it. */
export type MakeCall<F extends TypeLambda> = <Tag extends string, P, PI, A, AI>(
  verb: Verb<Tag, P, PI, A, AI>
) => Kind<F, PI, never, A, never>

export const families = <F extends TypeLambda>(call: MakeCall<F>) => ({
  memory: {
    set: call(MemorySet),
    bulk_set: call(MemoryBulkSet),
    set_from_messages: call(MemorySetFromMessages),
    get: call(MemoryGet),
    get_by_id: call(MemoryGetById),
    update: call(MemoryUpdate),
    update_by_id: call(MemoryUpdateById),
    delete: call(MemoryDelete),
    restore: call(MemoryRestore),
    list: call(MemoryList),
    history: call(MemoryHistory),
    timeline: call(MemoryTimeline),
    pin: call(MemoryPin),
    lock: call(MemoryLock),
    touch: call(MemoryTouch),
    apply: call(MemoryApply),
    clear: call(MemoryClear),
    reject: call(MemoryReject),
    verify: call(MemoryVerify),
    proposals: call(MemoryProposals),
    proposal_decide: call(MemoryProposalDecide),
    search: call(MemorySearch),
    ask: call(MemoryAsk),
    for_file: call(MemoryForFile),
    search_trace: call(MemorySearchTrace),
    provenance: call(MemoryProvenance),
    lineage: call(MemoryLineage),
    inspect: call(MemoryInspect),
    promote: call(MemoryPromote),
    consolidate: call(MemoryConsolidate),
    redact: call(MemoryRedact),
    digests: call(MemoryDigests),
    outcome: call(MemoryOutcome),
    recall: call(MemoryRecall),
    evidence: call(MemoryEvidence),
    backlinks: call(MemoryBacklinks)
  },
  conversation: {
    append: call(ConversationAppend),
    get: call(ConversationGet),
    list: call(ConversationList),
    search: call(ConversationSearch),
    delete: call(ConversationDelete)
  },
  entity: {
    list: call(EntityList)
  },
  context: {
    pack: call(ContextPack)
  },
  extraction: {
    list: call(ExtractionList),
    get: call(ExtractionGet),
    retry: call(ExtractionRetry),
    drop: call(ExtractionDrop)
  },
  conflicts: {
    list: call(ConflictsList),
    resolve: call(ConflictsResolve)
  },
  calibration: {
    get: call(CalibrationGet)
  },
  namespace: {
    register: call(NamespaceRegister),
    get: call(NamespaceGet),
    list: call(NamespaceList),
    audit: call(NamespaceAudit),
    validate: call(NamespaceValidate),
    rollback: call(NamespaceRollback),
    review: call(NamespaceReview)
  },
  blacklist: {
    add: call(BlacklistAdd),
    list: call(BlacklistList),
    remove: call(BlacklistRemove)
  },
  run: {
    begin: call(RunBegin),
    complete: call(RunComplete),
    get: call(RunGet),
    list: call(RunList)
  },
  token: {
    mint: call(TokenMint),
    revoke: call(TokenRevoke),
    list: call(TokenList)
  },
  ops: {
    workers: call(OpsWorkers),
    worker_pause: call(OpsWorkerPause),
    worker_resume: call(OpsWorkerResume),
    dead_letters: call(OpsDeadLetters),
    health: call(OpsHealth),
    cluster: call(OpsCluster)
  },
  model: {
    usage: call(ModelUsage)
  }
})

export type Families<F extends TypeLambda> = ReturnType<typeof families<F>>
