/** A row that a foreign key promises; one removed while the request runs is a surprise worth throwing. */
export function present<Row>(row: Row | null): Row {
  if (row === null) throw new Error('A row was removed while the request ran.')
  return row
}
