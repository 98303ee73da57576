/** One registration. The secret is never here: `secretHint` is its last four characters. */
export type WebhookRow = Readonly<{
  organization: string;
  environment: 'live' | 'test';
  id: string;
  url: string;
  events: readonly string[];
  secretHint: string;
  active: boolean;
  metadata: Readonly<Record<string, unknown>> | null;
  createdAt: string;
  updatedAt: string;
}>;
