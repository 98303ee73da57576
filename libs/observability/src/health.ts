/** The token under which a service's module offers its `Health` to the process it runs in. */
export const HEALTH = 'HEALTH';

/** `detail` is for people and names no bank data. */
export type Health = Readonly<{ ready(): boolean; detail(): object }>;
