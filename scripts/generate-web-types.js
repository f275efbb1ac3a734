// Writes web/generated: the documents of web/queries as strings, with the types of their variables and answers.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import { buildSchema, parse } from 'graphql'

const web = fileURLToPath(new URL('../web', import.meta.url))
const target = join(web, 'generated')
const schema = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8')

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
const files = await preset.buildGeneratesSection({
  schema: parse(schema),
  schemaAst: buildSchema(schema),
  documents: readdirSync(join(web, 'queries')).map((name) => {
    const text = readFileSync(join(web, 'queries', name), 'utf8')
    return { location: join(web, 'queries', name), document: parse(text), rawSDL: text }
  }),
  config: {
    scalars: { DateTime: 'string' },
    documentMode: 'string',
    enumsAsTypes: true,
    useTypeImports: true,
  },
  baseOutputDir: `${target}/`,
  presetConfig: { fragmentMasking: false },
  plugins: [],
  pluginMap: {},
  pluginContext: {},
})
for (const file of files) {
  if (!file.filename.endsWith('/graphql.ts')) continue
  writeFileSync(join(target, 'documents.ts'), await codegen({ ...file, cache: undefined }))
}
