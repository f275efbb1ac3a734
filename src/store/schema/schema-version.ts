/** `application_id` of SQLite files: "ACRD". */
export const APPLICATION_ID = 0x41435244

/** Increases with every migration. */
export const SCHEMA_VERSION = 10
