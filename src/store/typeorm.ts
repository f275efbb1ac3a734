import { createRequire } from 'node:module'
import type * as TypeOrm from 'typeorm'

/**
 * TypeORM's classes, loaded by `require`. Node searches a CommonJS package that is imported for the names it
 * exports, which for TypeORM's hundreds of files takes a quarter of the start of every command.
 */
export const { DataSource, EntitySchema, In } = createRequire(import.meta.url)('typeorm') as typeof TypeOrm
