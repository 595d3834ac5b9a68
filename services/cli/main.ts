/**
 * The `loom` command.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Cli from "./Cli.ts"
import * as Stop from "./Stop.ts"

const layerNode = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer, FetchHttpClient.layer)

Stop.runMain(Effect.provide(Cli.run(process.argv), layerNode))
