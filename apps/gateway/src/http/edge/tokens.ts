/** What the controllers are given, by name: types alone are not there at run time. */
export const READS = Symbol('reads');
export const CURSORS = Symbol('cursors');
export const COMMANDS = Symbol('commands');
export const NOW_MS = Symbol('nowMs');
export const DEPENDENCIES = Symbol('dependencies');
export const OPENAPI = Symbol('openapi');
