import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

/** Compiled queries pass the same nodes for each object. */
const cached = new WeakMap<readonly FieldNode[], ReadonlySet<string>>()

/** Names of the fields that are selected on the objects of a field; of a connection, on the nodes of its page. */
export function requestedFields({ fieldNodes, fragments }: Info): ReadonlySet<string> {
  const found = cached.get(fieldNodes)
  if (found) return found
  const names = new Set<string>()
  function collect(selectionSet: SelectionSetNode | undefined): void {
    for (const selection of selectionSet?.selections ?? []) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) collect(fragments[selection.name.value]?.selectionSet)
      else if (selection.kind === Kind.INLINE_FRAGMENT || isPage(selection)) collect(selection.selectionSet)
      else names.add(selection.name.value)
    }
  }
  for (const { selectionSet } of fieldNodes) collect(selectionSet)
  cached.set(fieldNodes, names)
  return names
}

/** Fields of a connection, and of its edges, that contain the nodes. */
function isPage({ name: { value: name } }: FieldNode): boolean {
  return name === 'nodes' || name === 'edges' || name === 'node'
}

/**
 * The columns that resolvers of these fields read; undefined, for all columns, if other fields are requested.
 *
 * @param columns of each field that does not read all columns
 */
export function requestedColumns<Column extends string>(
  info: Info,
  columns: Readonly<Record<string, readonly Column[]>>,
): readonly Column[] | undefined {
  const names = requestedFields(info)
  const needed: Column[] = []
  for (const name of names) {
    if (PAGE_FIELDS.has(name)) continue
    if (!Object.hasOwn(columns, name)) return undefined
    needed.push(...columns[name])
  }
  return needed
}

const PAGE_FIELDS: ReadonlySet<string> = new Set(['pageInfo', 'totalCount', 'cursor', '__typename'])
