/**
 * Whether these are the tests of `npm run test:slow`: on PostgreSQL instead of SQLite, and with the built program instead
 * of commands in the process of the tests.
 */
export const isSlow = process.env.ACCORD_TEST_SLOW === '1'
