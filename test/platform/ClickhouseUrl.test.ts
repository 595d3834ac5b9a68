import { suite } from "./ClickhouseContract.ts"
import { layerTempUrl } from "./ClickhouseTemp.ts"

suite("Clickhouse, over HTTP", layerTempUrl())
