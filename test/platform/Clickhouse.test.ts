import { suite } from "./ClickhouseContract.ts"
import { layerTemp } from "./ClickhouseTemp.ts"

suite("Clickhouse, embedded", layerTemp())
