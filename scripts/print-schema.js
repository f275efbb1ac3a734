// Prints schema.graphql from its parts.
import { writeFileSync } from 'node:fs'
import { printSchema } from './schema-parts.js'

writeFileSync(new URL('../schema.graphql', import.meta.url), printSchema())
