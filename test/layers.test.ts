import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { expect, it } from 'vitest'

/** A file of `src` that another one imports, or a package. */
interface Import {
  readonly from: string
  /** A path below `src`, or the name of a package. */
  readonly to: string
  readonly isPackage: boolean
  readonly isTypeOnly: boolean
}

const SOURCE = new URL('../src/', import.meta.url).pathname

/** Generated from the schema. */
const GENERATED = 'api/execution/schema-types.ts'

/** AssemblyScript, which has no other imports. */
const KERNELS = 'core/bounds/engine/kernels/'

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && file !== GENERATED && !file.startsWith(KERNELS))
  .sort()
const texts = new Map(files.map((file) => [file, readFileSync(join(SOURCE, file), 'utf8')]))
const imports = files.flatMap(readImports)

/** The files that a layer may use: values and types, or types alone. Files of `src` itself belong to all. */
const LAYERS: Record<string, { readonly values: readonly string[]; readonly types?: readonly string[] }> = {
  core: { values: [] },
  formats: { values: ['core'] },
  store: { values: ['core'] },
  compute: { values: ['core', 'formats'] },
  queue: { values: ['core', 'store', 'compute'] },
  services: { values: ['core', 'formats', 'store', 'compute', 'queue'] },
  api: { values: ['services'], types: ['core', 'formats', 'store'] },
  // `serve` starts the server of the API.
  cli: { values: ['services', 'api'], types: ['core', 'formats', 'store'] },
}

/** The folders of a layer, from the lowest: each imports only from those before it. */
const ORDERS: Record<string, readonly string[]> = {
  core: [
    'stats',
    'text',
    'judgements',
    'composite',
    'metrics',
    'agreement',
    'selection',
    'bounds',
    'collection',
  ],
  formats: ['io', 'english', 'boxes', 'coco', 'captions', 'words', 'judgements', 'models'],
  store: ['engine', 'schema'],
  cli: ['output', 'reports', 'commands'],
}

/** The layers that know a package; packages that are not listed are for all but the core. */
const PACKAGES: readonly { readonly name: RegExp; readonly layers: readonly string[] }[] = [
  { name: /^(typeorm|better-sqlite3|pg|pg-.*)$/, layers: ['store'] },
  { name: /^(graphql|graphql-.*|@apollo\/.*|@graphql-tools\/.*|dataloader)$/, layers: ['api'] },
  { name: /^(commander|cli-.*|string-width)$/, layers: ['cli'] },
  // A stemmer: a pure function.
  { name: /^porter2$/, layers: ['core'] },
  { name: /^lru-cache$/, layers: ['core', 'store', 'services', 'api'] },
  { name: /./, layers: ['formats', 'store', 'compute', 'queue', 'services', 'api', 'cli'] },
]

/** Names that several folders of a layer have: the API has the same kinds of file for each area of the schema. */
const REPEATED_NAMES = /^api\/.*\/(resolvers|loaders|models|names)\.ts$/

it('reads the imports of all files', () => {
  expect(files.length).toBeGreaterThan(300)
  expect(imports.length).toBeGreaterThan(1500)
  const missing = imports.filter(({ to, isPackage }) => !isPackage && to !== GENERATED && !texts.has(to))
  expect(missing.every(({ from, to }) => layerOf(from) === 'store' && to.startsWith('../migrations/'))).toBe(
    true,
  )
})

it('imports in one direction', () => {
  const wrong = imports.filter(({ from, to, isPackage, isTypeOnly }) => {
    const layer = LAYERS[layerOf(from)]
    if (isPackage || layer === undefined || layerOf(to) === layerOf(from) || isShared(to)) return false
    if (layerOf(from) === 'store' && to.startsWith('../migrations/')) return false
    return ![...layer.values, ...(isTypeOnly ? (layer.types ?? []) : [])].includes(layerOf(to))
  })
  expect(wrong.map(describe)).toEqual([])
})

it('orders the folders of a layer', () => {
  const wrong = imports.filter(({ from, to, isPackage }) => {
    const order = ORDERS[layerOf(from)]
    if (isPackage || order === undefined || layerOf(to) !== layerOf(from) || depth(from) < 3) return false
    return order.indexOf(folderOf(to)) > order.indexOf(folderOf(from)) || !order.includes(folderOf(from))
  })
  expect(wrong.map(describe)).toEqual([])
})

it('has a layer for each package', () => {
  const wrong = imports.filter(({ from, to, isPackage }) => {
    if (!isPackage || isShared(from)) return false
    return !PACKAGES.find(({ name }) => name.test(to))!.layers.includes(layerOf(from))
  })
  expect(wrong.map(describe)).toEqual([])
})

it('has no circles', () => {
  const circles = findCircles(files, (file) =>
    imports.filter(({ from, isPackage }) => from === file && !isPackage).map(({ to }) => to),
  )
  expect(circles).toEqual([])
})

it('has no file name twice in a layer', () => {
  const places = new Map<string, string>()
  const repeated = files.filter((file) => {
    const name = `${layerOf(file)}: ${basename(file)}`
    if (REPEATED_NAMES.test(file)) return false
    if (places.has(name)) return true
    places.set(name, file)
    return false
  })
  expect(repeated).toEqual([])
})

it('exports what a file declares, from there alone', () => {
  const wrong = files.filter((file) => /^export (type )?(\*|\{[^}]*\}) from /m.test(texts.get(file)!))
  expect(wrong).toEqual([])
})

/** The imports of a file: at its beginning, when they are needed, and as a type in another one. */
function readImports(from: string): Import[] {
  const text = texts.get(from)!
  const at = (name: string, isTypeOnly: boolean): Import => ({
    from,
    to: name.startsWith('.') ? posix.join(dirname(from), name.replace(/\.js$/, '.ts')) : name,
    isPackage: !name.startsWith('.'),
    isTypeOnly,
  })
  const declared = [...text.matchAll(/^(?:import|export) (?:([^'"]*?) from )?'([^']+)'/gm)]
  const inline = [...text.matchAll(/(typeof )?\bimport\('([^']+)'\)(\.[A-Z])?/g)]
  return [
    ...declared.map(([, names, name]) => at(name, names !== undefined && isTypes(names))),
    ...inline.map(([, typeOf, name, member]) => at(name, typeOf !== undefined || member !== undefined)),
  ]
}

/** Whether an import names types alone: `type { A }` or `{ type A, type B }`. */
function isTypes(names: string): boolean {
  if (names.startsWith('type ')) return true
  const list = /^\{([^}]*)\}$/s.exec(names)?.[1].split(',') ?? ['value']
  return list.map((name) => name.trim()).every((name) => name === '' || name.startsWith('type '))
}

function layerOf(file: string): string {
  return file.split('/')[0]
}

function folderOf(file: string): string {
  return file.split('/')[1]
}

function depth(file: string): number {
  return file.split('/').length
}

/** Whether a file is one of `src` itself, such as errors.ts. */
function isShared(file: string): boolean {
  return depth(file) === 1
}

function describe({ from, to, isTypeOnly }: Import): string {
  return `${from} -> ${to}${isTypeOnly ? ' (types)' : ''}`
}

/** Groups of files that import each other, directly or by way of others. */
function findCircles(nodes: readonly string[], next: (node: string) => readonly string[]): string[][] {
  const reached = new Map(nodes.map((node) => [node, reach(node, next)]))
  const circles = new Map<string, string[]>()
  for (const node of nodes) {
    if (!reached.get(node)!.has(node)) continue
    const circle = nodes.filter((other) => reached.get(node)!.has(other) && reached.get(other)?.has(node))
    circles.set(circle[0], circle)
  }
  return [...circles.values()]
}

function reach(start: string, next: (node: string) => readonly string[]): Set<string> {
  const reached = new Set<string>()
  const waiting = [...next(start)]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (reached.has(node)) continue
    reached.add(node)
    waiting.push(...next(node))
  }
  return reached
}
