/**
 * A row that a foreign key refers to.
 *
 * @throws Error if it was removed while the request was executed
 */
export function present<Row>(row: Row | null | undefined): Row {
  if (row == null) throw new Error('A row was removed while the request was executed.')
  return row
}
