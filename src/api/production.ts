/**
 * Imported before anything else: graphql checks types more slowly, and Express shows errors to clients, unless they
 * are told, before they load, that this is not development.
 */
process.env.NODE_ENV ??= 'production'
