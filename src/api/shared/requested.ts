import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>

/** The objects of a list have the same nodes, which are new for each execution. */
const cached = new WeakMap<readonly FieldNode[], RequestedColumns<never>>()

/** What to read for the objects of a field. */
interface RequestedColumns<Column extends string> {
  /** Undefined for all columns. */
  readonly columns: readonly Column[] | undefined
}

/**
 * The columns that the requested fields of the objects of a field read, or of the nodes of a connection; undefined, for
 * all columns, if a field is requested that `columns` does not have.
 *
 * @param columns of each field that does not read all columns; the same whenever the field is resolved
 */
export function requestedColumns<Column extends string>(
  info: Info,
  columns: Readonly<Record<string, readonly Column[]>>,
): readonly Column[] | undefined {
  let found: RequestedColumns<Column> | undefined = cached.get(info.fieldNodes)
  if (!found) {
    found = { columns: findColumns(info, columns) }
    cached.set(info.fieldNodes, found as RequestedColumns<never>)
  }
  return found.columns
}

function findColumns<Column extends string>(
  info: Info,
  columns: Readonly<Record<string, readonly Column[]>>,
): readonly Column[] | undefined {
  const needed: Column[] = []
  for (const name of requestedFields(info)) {
    if (PAGE_FIELDS.has(name)) continue
    if (!Object.hasOwn(columns, name)) return undefined
    needed.push(...columns[name])
  }
  return needed
}

const PAGE_FIELDS: ReadonlySet<string> = new Set(['pageInfo', 'totalCount', 'cursor', '__typename'])

/** Names of the fields that are selected on the objects. */
export function requestedFields({ fieldNodes, fragments, variableValues }: Info): ReadonlySet<string> {
  const names = new Set<string>()
  const isIncluded = (node: SelectionNode) =>
    getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if !== false
  function collect(selectionSet: SelectionSetNode | undefined): void {
    for (const selection of selectionSet?.selections ?? []) {
      if (!isIncluded(selection)) continue
      if (selection.kind === Kind.FRAGMENT_SPREAD) collect(fragments[selection.name.value]?.selectionSet)
      else if (selection.kind === Kind.INLINE_FRAGMENT || isPage(selection)) collect(selection.selectionSet)
      else names.add(selection.name.value)
    }
  }
  for (const { selectionSet } of fieldNodes) collect(selectionSet)
  return names
}

/** Fields of a connection, and of its edges, that contain the nodes. */
function isPage({ name: { value: name } }: FieldNode): boolean {
  return name === 'nodes' || name === 'edges' || name === 'node'
}
