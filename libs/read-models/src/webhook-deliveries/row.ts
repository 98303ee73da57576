/** An attempt to deliver. One that is under way, or whose process was stopped, has no outcome yet. */
export type DeliveryAttempt = Readonly<{
  at: string;
  statusCode: number | null;
  durationMs: number | null;
  error: string | null;
}>;

export const deliveryStatuses = ['pending', 'delivered', 'exhausted'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One event on its way to one registration. `nextAttemptAt`: null unless it is pending. `attempts`: in order. */
export type WebhookDeliveryRow = Readonly<{
  organization: string;
  environment: 'live' | 'test';
  webhookId: string;
  eventId: string;
  type: string;
  createdAt: string;
  status: DeliveryStatus;
  nextAttemptAt: string | null;
  attempts: readonly DeliveryAttempt[];
}>;
