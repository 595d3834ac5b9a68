/** The adapter in this process keeps the contract. */
import { layer } from "../../src/conversation/TurnStoreMemory.ts"
import { suite } from "./TurnStoreContract.ts"

suite("memory", layer)
