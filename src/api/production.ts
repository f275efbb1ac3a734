/**
 * Must be imported first. Outside production graphql checks types more slowly and Express sends errors to clients; both
 * read this variable when they are loaded.
 */
process.env.NODE_ENV ??= 'production'
