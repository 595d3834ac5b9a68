/**
 * Postgres over ClickHouse keeps the contract.
 */
import { suite } from "./MemoryStoreContract.ts"
import { layer } from "./PostgresAuthority.ts"

suite("Postgres over ClickHouse in process", layer, "transaction")
