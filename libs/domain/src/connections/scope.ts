export type Environment = 'live' | 'test';

/** Whose something is. */
export type Scope = Readonly<{ organization: string; environment: Environment }>;
