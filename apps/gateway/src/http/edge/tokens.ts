/** What Nest provides by name: types alone are not there at run time. */
export const READS = Symbol('reads');
export const CURSORS = Symbol('cursors');
export const COMMANDS = Symbol('commands');
export const NOW_MS = Symbol('nowMs');
export const DEPENDENCIES = Symbol('dependencies');
export const OPENAPI = Symbol('openapi');
export const ACCESS_TOKENS = Symbol('access tokens');
export const ADDRESS_OF = Symbol('address of');
export const ADMIT = Symbol('admit');
export const AUTHENTICATION = Symbol('authentication');
export const EXISTS = Symbol('exists');
export const IDENTIFY_BEARER = Symbol('identify bearer');
export const IDENTIFY_CLIENT = Symbol('identify client');
export const KEY_USE = Symbol('key use');
export const OPERATIONS = Symbol('operations');
export const RATE_LIMIT = Symbol('rate limit');
export const SESSIONS = Symbol('sessions');
