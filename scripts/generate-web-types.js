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
  writeInParts(await codegen({ ...file, cache: undefined }))
}

/** Writes each document to a file of its own, which a page loads with its script, and the types to one for all. */
function writeInParts(text) {
  mkdirSync(join(target, 'operations'))
  const [, documentClass] = /(export class TypedDocumentString[\s\S]*?\n}\n)/.exec(text)
  const typed = `import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';\n${documentClass}`
  writeFileSync(join(target, 'typed-document.ts'), typed)
  const names = []
  const types = text
    .replace(documentClass, '')
    .replace(/import type { DocumentTypeDecoration }.*\n/, '')
    .replaceAll(
      /export const (\w+) = new TypedDocumentString\([\s\S]*?\) as unknown as ([^;]*);\n?/g,
      (whole, name, type) => {
        // The text of a fragment is in that of each operation that uses it.
        if (name.endsWith('FragmentDoc')) return ''
        names.push(name)
        const used = type.match(/\w+/g).slice(1).join(', ')
        const imports = `import type { ${used} } from '../types';\nimport { TypedDocumentString } from '../typed-document';\n`
        // Without the mark a bundler keeps the documents of all pages in the script of each.
        const document = whole.replace('= new', '= /* @__PURE__ */ new')
        writeFileSync(join(target, 'operations', `${name}.ts`), imports + document)
        return ''
      },
    )
  writeFileSync(join(target, 'types.ts'), types)
  const exports = names.map((name) => `export { ${name} } from './operations/${name}';\n`).join('')
  const shared =
    "export type * from './types';\nexport type { TypedDocumentString } from './typed-document';\n"
  writeFileSync(join(target, 'documents.ts'), shared + exports)
}
