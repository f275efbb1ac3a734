/**
 * Must be imported first: graphql and Express read the variable when they are loaded. Outside production, graphql uses
 * slower type checks and Express sends errors to clients.
 */
process.env.NODE_ENV ??= 'production'
