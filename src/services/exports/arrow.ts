import { bool, columnFromArray, float64, tableFromColumns, tableToIPC, utf8 } from '@uwdata/flechette'
import { yieldToEventLoop } from '../../event-loop.js'
import type { ExportTable, Row } from './export-table.js'

const TYPES = { TEXT: utf8, NUMBER: float64, FLAG: bool } as const

/** Bytes that end a stream. */
const END_BYTES = 8

/**
 * A table in the streaming format of Apache Arrow, in parts: its schema, a batch of records for each group of rows, and the end. The library
 * writes whole streams, so that of each the messages between schema and end are taken.
 */
export async function* writeArrow({ columns, rows }: ExportTable): AsyncGenerator<Uint8Array> {
  const encode = (batch: readonly Row[]) =>
    tableToIPC(
      tableFromColumns(
        columns.map(({ name, type }, index) => [
          name,
          columnFromArray(
            batch.map((row) => row[index]),
            TYPES[type](),
          ),
        ]),
      ),
      { format: 'stream' },
    ) as Uint8Array
  const empty = encode([])
  const schemaBytes = END_BYTES + new DataView(empty.buffer, empty.byteOffset).getInt32(4, true)
  yield empty.subarray(0, schemaBytes)
  for await (const batch of rows()) {
    if (batch.length > 0) yield encode(batch).subarray(schemaBytes, -END_BYTES)
    await yieldToEventLoop()
  }
  yield empty.subarray(-END_BYTES)
}
