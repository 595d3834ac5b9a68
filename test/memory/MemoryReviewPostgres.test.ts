/**
 * Postgres over ClickHouse keeps the contract of review, and holds no scrubbed text in its own tables either.
 */
import { suite } from "./MemoryReviewContract.ts"
import { layer } from "./PostgresAuthority.ts"

suite("Postgres over ClickHouse in process", layer, "transaction")
