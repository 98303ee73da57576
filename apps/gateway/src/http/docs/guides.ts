import authentication from '../../../../../docs/authentication.md';
import errors from '../../../../../docs/errors.md';
import feed from '../../../../../docs/feed.md';
import firstHour from '../../../../../docs/first-hour.md';
import history from '../../../../../docs/history.md';
import payments from '../../../../../docs/payments.md';
import webhooks from '../../../../../docs/webhooks.md';

export type Guide = Readonly<{ name: string; title: string; markdown: string }>;

const guide = (name: string, markdown: string): Guide => ({
  name,
  title: /^# (.*)$/m.exec(markdown)?.[1] ?? name,
  markdown,
});

/** In the order in which one reads them. */
export const guides: readonly Guide[] = [
  guide('first-hour', firstHour),
  guide('authentication', authentication),
  guide('feed', feed),
  guide('history', history),
  guide('payments', payments),
  guide('webhooks', webhooks),
  guide('errors', errors),
];
