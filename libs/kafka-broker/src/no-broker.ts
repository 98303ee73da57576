/** Why no broker can be had here, in a line for whoever wanted one. */
export class NoBroker extends Error {}
