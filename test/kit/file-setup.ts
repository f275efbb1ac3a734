import { afterAll } from 'vitest'
import './cheap-passwords.js'
import { runCleanups } from './cleanup.js'
import './one-core.js'

// Setup file of vitest: runs before each test file.
afterAll(runCleanups)
