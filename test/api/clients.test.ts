import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import * as typescript from '@graphql-codegen/typescript'
import * as typescriptOperations from '@graphql-codegen/typescript-operations'
import * as typescriptUrql from '@graphql-codegen/typescript-urql'
import { buildSchema, Kind, parse } from 'graphql'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { atEnd } from '../kit/cleanup.js'

const OPERATIONS = fileURLToPath(new URL('../fixtures/clients/operations.graphql', import.meta.url))
const schemaText = readFileSync(projectFile('schema.graphql'), 'utf8')
const operations = readFileSync(OPERATIONS, 'utf8')
const document = parse(operations)
const names = document.definitions.flatMap((definition) =>
  definition.kind === Kind.OPERATION_DEFINITION ? (definition.name?.value ?? []) : [],
)

const input = {
  schema: parse(schemaText),
  schemaAst: buildSchema(schemaText),
  documents: [{ location: OPERATIONS, document, rawSDL: operations }],
  config: { scalars: { DateTime: 'string' } },
}

it('operations are compiled by the client preset, as for Apollo Client', async () => {
  const files = await preset.buildGeneratesSection({
    ...input,
    baseOutputDir: 'generated/',
    presetConfig: {},
    plugins: [],
    pluginMap: {},
    pluginContext: {},
  })
  const outputs = await Promise.all(files.map((file) => codegen({ ...file, cache: undefined })))
  const content = outputs.join('\n')
  for (const name of names) expect(content).toContain(`${name[0].toUpperCase()}${name.slice(1)}Document`)
})

it('operations are compiled for urql', async () => {
  const content = await codegen({
    ...input,
    filename: 'urql.ts',
    plugins: [{ typescript: {} }, { typescriptOperations: {} }, { typescriptUrql: {} }],
    pluginMap: { typescript, typescriptOperations, typescriptUrql },
  })
  expect(content).toContain('useClientsDashboardQueryQuery')
  expect(content).toContain('useClientsImportMutationMutation')
})

it('operations are compiled by the Relay compiler', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'accord-relay-'))
  atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'schema.graphql'), schemaText)
  // Relay requires that the names of operations begin with that of their module.
  const tagged = document.definitions.map(
    (definition) => `graphql\`${operations.slice(definition.loc?.start, definition.loc?.end)}\``,
  )
  writeFileSync(
    join(folder, 'src', 'clients.js'),
    `import { graphql } from 'relay-runtime'\n${tagged.join('\n')}\n`,
  )
  writeFileSync(
    join(folder, 'relay.config.json'),
    JSON.stringify({
      src: './src',
      schema: './schema.graphql',
      language: 'typescript',
      artifactDirectory: './generated',
    }),
  )
  mkdirSync(join(folder, 'generated'))
  const compiler = createRequire(import.meta.url)('relay-compiler') as string
  await promisify(execFile)(compiler, ['relay.config.json'], { cwd: folder })
  const artifacts = readdirSync(join(folder, 'generated')).map((file) => file.replace('.graphql.ts', ''))
  expect(artifacts.toSorted()).toEqual(names.toSorted())
})
