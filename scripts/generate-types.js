// Writes src/api/schema-types.ts, the types of the resolvers, from schema.graphql.
import { readFileSync, writeFileSync } from 'node:fs'
import { codegen } from '@graphql-codegen/core'
import * as typescript from '@graphql-codegen/typescript'
import * as typescriptResolvers from '@graphql-codegen/typescript-resolvers'
import { parse } from 'graphql'

const target = new URL('../src/api/schema-types.ts', import.meta.url)

const output = await codegen({
  filename: target.pathname,
  schema: parse(readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8')),
  documents: [],
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    contextType: './context.js#Context',
    defaultMapper: 'unknown',
  },
  plugins: [{ typescript: {} }, { typescriptResolvers: {} }],
  pluginMap: { typescript, typescriptResolvers },
})
writeFileSync(
  target,
  `// Generated from schema.graphql by scripts/generate-types.js; do not edit.\n${output}`,
)
