import { afterAll } from 'vitest'
import './cheap-passwords.js'
import { runCleanups } from './cleanup.js'

// Setup file of vitest: runs before each test file.
afterAll(runCleanups)
