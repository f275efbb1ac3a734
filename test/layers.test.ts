import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, posix } from 'node:path'
import { expect, it } from 'vitest'

/** A file of `src` that another one imports, or a package. */
interface Import {
  readonly from: string
  /** A path below `src`, or the name of a package. */
  readonly to: string
  readonly isPackage: boolean
  readonly isTypeOnly: boolean
  /** Whether it is loaded when it is needed. */
  readonly isLate: boolean
}

const SOURCE = new URL('../src/', import.meta.url).pathname

/** Generated from the schema. */
const GENERATED = ['api/shared/schema-types.ts', 'api/schema/plain-resolvers.ts']

/** AssemblyScript, which has no other imports. */
const KERNELS = 'core/bounds/engine/kernels/'

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !GENERATED.includes(file) && !file.startsWith(KERNELS))
  .sort()
const texts = new Map(files.map((file) => [file, readFileSync(join(SOURCE, file), 'utf8')]))
const imports = files.flatMap(readImports)

/** The files that a layer may use: values and types, or types alone. Files of `src` itself belong to all. */
const LAYERS: Record<string, { readonly values: readonly string[]; readonly types?: readonly string[] }> = {
  // What the dashboard uses too.
  shared: { values: [] },
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

/** The folders of a layer, from the lowest: each imports only from those before it, values and types. */
const ORDERS: Record<string, readonly string[]> = {
  core: [
    'stats',
    'text',
    'objects',
    'judgements',
    'composite',
    'metrics',
    'agreement',
    'coverage',
    'diversity',
    'selection',
    'bounds',
    'collection',
  ],
  formats: ['io', 'english', 'boxes', 'coco', 'captions', 'words', 'judgements', 'models', 'pictures'],
  store: ['engine', 'schema'],
  services: [
    'shared',
    'jobs',
    'uploads',
    'accounts',
    'datasets',
    'provenance',
    'systems',
    'words',
    'evaluations',
    'agreement',
    'comparisons',
    'scoring',
    'coverage',
    'diversity',
    'judgements',
    'images',
    'selection',
    'bounds',
    'external',
    'exports',
    'leaderboard',
    'imports',
    'composites',
    'verification',
    'papers',
    'challenges',
    'collections',
    'seed',
    // The table of job kinds, and the workers that execute it.
    'workers',
  ],
  api: [
    'shared',
    'loaders',
    'accounts',
    'scores',
    'systems',
    'words',
    'datasets',
    'images',
    'bounds',
    'imports',
    'composites',
    'judgements',
    'coverage',
    'diversity',
    'selection',
    'scene-graphs',
    'challenges',
    'collections',
    'jobs',
    'node',
    'schema',
    'http',
  ],
  cli: ['output', 'reports', 'commands'],
}

/** The layers that know a package, or its only files; packages that are not listed are for all but the core. */
const PACKAGES: readonly {
  readonly name: RegExp
  readonly layers: readonly string[]
  /** The files that import its values; others of the layers import its types alone. */
  readonly files?: RegExp
}[] = [
  { name: /^better-sqlite3(-napi)?$/, layers: ['store'], files: /^store\/engine\/better-sqlite3\.ts$/ },
  { name: /^typeorm$/, layers: ['store'], files: /^store\/schema\/migrate\.ts$/ },
  { name: /^(pg|pg-.*)$/, layers: ['store'], files: /^store\/engine\/postgres\.ts$/ },
  { name: /^(graphql|graphql-.*|@apollo\/.*|@graphql-tools\/.*|dataloader)$/, layers: ['api'] },
  { name: /^(commander|cli-.*|string-width)$/, layers: ['cli'] },
  // A stemmer: a pure function.
  { name: /^porter2$/, layers: ['core'] },
  { name: /^lru-cache$/, layers: ['core', 'store', 'services', 'api'] },
  { name: /./, layers: ['formats', 'store', 'compute', 'queue', 'services', 'api', 'cli'] },
]

/** Names that several folders of a layer have: the API has the same kinds of file for each area of the schema. */
const REPEATED_NAMES = /^api\/(.*\/(resolvers|models|names)|loaders\/.*)\.ts$/

/** What asks the clock. A duration is measured by `performance`. */
const CLOCK = /\bDate\.now\b|\bnew Date\(\)|\bDate\(\)/

it('asks the clock where it is counted', () => {
  const asking = files.filter((file) => CLOCK.test(texts.get(file) as string))
  expect(asking.filter((file) => /^(api|services|store)\/|^clock\.ts$/.test(file))).toEqual(['clock.ts'])
})

it('reads the imports of all files', () => {
  expect(files.length).toBeGreaterThan(300)
  expect(imports.length).toBeGreaterThan(1500)
  const missing = imports.filter(
    ({ to, isPackage }) => !isPackage && !GENERATED.includes(to) && !texts.has(to),
  )
  expect(missing.every(({ from, to }) => layerOf(from) === 'store' && to.startsWith('../migrations/'))).toBe(
    true,
  )
})

it('imports in one direction', () => {
  const wrong = imports.filter(({ from, to, isPackage, isTypeOnly }) => {
    const layer = LAYERS[layerOf(from)]
    if (isPackage || layer === undefined || layerOf(to) === layerOf(from)) return false
    if (isShared(to) && layerOf(from) !== 'shared') return false
    if (layerOf(from) === 'store' && to.startsWith('../migrations/')) return false
    return ![...layer.values, ...(isTypeOnly ? (layer.types ?? []) : [])].includes(layerOf(to))
  })
  expect(wrong.map(describe)).toEqual([])
})

it('orders the folders of a layer', () => {
  const wrong = imports.filter(({ from, to, isPackage }) => {
    const order = ORDERS[layerOf(from)]
    if (isPackage || order === undefined || layerOf(to) !== layerOf(from) || depth(from) < 3) return false
    if (['services', 'api'].includes(layerOf(from)) && depth(to) < 3) return true
    return order.indexOf(folderOf(to)) > order.indexOf(folderOf(from)) || !order.includes(folderOf(from))
  })
  expect(wrong.map(describe)).toEqual([])
})

it('has a layer for each package, and files for each driver', () => {
  const wrong = imports.filter(({ from, to, isPackage, isTypeOnly }) => {
    if (!isPackage || isShared(from)) return false
    const { layers, files: only } = PACKAGES.find(({ name }) => name.test(to))!
    return !layers.includes(layerOf(from)) || (!isTypeOnly && only?.test(from) === false)
  })
  expect(wrong.map(describe)).toEqual([])
})

it('loads TypeORM where a database is created or migrated, and nowhere else', () => {
  const migrating = imports.filter(({ to }) => to === 'store/schema/migrate.ts')
  expect(migrating.map(({ from }) => from)).toEqual(['store/open-postgres.ts', 'store/open-sqlite.ts'])
  expect(migrating.every(({ isLate }) => isLate)).toBe(true)
})

it('shares with the dashboard nothing of Node', () => {
  const shared = imports.filter(({ from }) => layerOf(from) === 'shared')
  expect(shared.filter(({ to, isPackage }) => isPackage && isBuiltin(to)).map(describe)).toEqual([])
})

it('imports packages that are installed with it', () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  const installed = Object.keys({ ...dependencies, ...optionalDependencies })
  const isInstalled = (to: string) => installed.some((name) => to === name || to.startsWith(`${name}/`))
  const packages = imports.filter(
    ({ to, isPackage, isTypeOnly }) => isPackage && !isTypeOnly && !isBuiltin(to),
  )
  expect(packages.length).toBeGreaterThan(50)
  expect(packages.filter(({ to }) => !isInstalled(to)).map(describe)).toEqual([])
})

it('has no circles', () => {
  const importsOf = new Map(files.map((file) => [file, [] as string[]]))
  for (const { from, to, isPackage } of imports) if (!isPackage) importsOf.get(from)!.push(to)
  const circles = findCircles(files, (file) => importsOf.get(file) ?? [])
  expect(circles).toEqual([])
})

it('has no circles in the dashboard, pages that are loaded when they are opened included', () => {
  const folder = new URL('../web/', import.meta.url).pathname
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('generated/'))
  const names = new Map(pages.map((page) => [page.replace(/\.tsx?$/, ''), page]))
  const importsOf = new Map(
    pages.map((page) => {
      const text = readFileSync(join(folder, page), 'utf8')
      const found = [...text.matchAll(/\b(?:from|import)\b[\s(]*'(\.[^']+)'/g)]
      return [page, found.flatMap(([, name]) => names.get(posix.join(dirname(page), name)) ?? [])]
    }),
  )
  expect(importsOf.get('app/routes.ts')).toContain('pages/sign-in.tsx')
  expect(findCircles(pages, (page) => importsOf.get(page) ?? [])).toEqual([])
})

it('scores files without the database and its drivers', () => {
  const reached = new Set(['cli/program.ts', 'cli/commands/score.ts', 'services/scoring/score-files.ts'])
  for (const file of reached) {
    for (const { from, to, isPackage, isTypeOnly, isLate } of imports)
      if (from === file && !isPackage && !isTypeOnly && !isLate) reached.add(to)
  }
  expect(reached.size).toBeGreaterThan(100)
  expect([...reached].filter((file) => ['store', 'queue'].includes(layerOf(file)))).toEqual([])
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
  const at = (name: string, isTypeOnly: boolean, isLate = false): Import => ({
    from,
    to: name.startsWith('.') ? posix.join(dirname(from), name.replace(/\.js$/, '.ts')) : name,
    isPackage: !name.startsWith('.'),
    isTypeOnly,
    isLate,
  })
  const declared = [...text.matchAll(/^(?:import|export) (?:([^'"]*?) from )?'([^']+)'/gm)]
  const inline = [...text.matchAll(/(typeof )?\bimport\('([^']+)'\)(\.[A-Z])?/g)]
  const required = [...text.matchAll(/\b(?:require|createRequire\(import\.meta\.url\))\(\s*'([^']+)'/g)]
  return [
    ...declared.map(([, names, name]) => at(name, names !== undefined && isTypes(names))),
    ...inline.map(([, typeOf, name, member]) => at(name, typeOf !== undefined || member !== undefined, true)),
    ...required.map(([, name]) => at(name, false)),
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

/** Whether a file belongs to all layers: one of `src/shared`, or of `src` itself, such as errors.ts. */
function isShared(file: string): boolean {
  return depth(file) === 1 || layerOf(file) === 'shared'
}

function describe({ from, to, isTypeOnly }: Import): string {
  return `${from} -> ${to}${isTypeOnly ? ' (types)' : ''}`
}

/** Groups of files that import each other, directly or by way of others: strongly connected components (Tarjan 1972). */
function findCircles(nodes: readonly string[], next: (node: string) => readonly string[]): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const onPath = new Set<string>()
  const circles: string[][] = []
  const visit = (node: string) => {
    order.set(node, order.size)
    lowest.set(node, order.get(node)!)
    path.push(node)
    onPath.add(node)
    for (const other of next(node)) {
      if (!order.has(other)) visit(other)
      if (onPath.has(other)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(other)!))
    }
    if (lowest.get(node) !== order.get(node)) return
    const circle = path.splice(path.lastIndexOf(node))
    for (const member of circle) onPath.delete(member)
    if (circle.length > 1 || next(node).includes(node)) circles.push(circle)
  }
  for (const node of nodes) if (!order.has(node)) visit(node)
  return circles
}
