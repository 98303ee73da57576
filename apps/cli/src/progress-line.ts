/** `done`: events in these seconds; more may have been done before. */
export type Progress = Readonly<{
  name: string;
  state: string;
  events: number;
  total: number;
  done: number;
  seconds: number;
}>;

const grouped = (n: number): string => Math.round(n).toLocaleString('en-US');

const lengthOf = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
};

/** How far it is, how fast it goes, and how long it will still take. */
export const progressLine = ({ name, state, events, total, done, seconds }: Progress): string => {
  if (state !== 'building') return `${name}: ${state}, ${grouped(events)} of ${grouped(total)} events`;
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 ? `, ${lengthOf(Math.max(0, total - events) / rate)} left` : '';
  return `${name}: ${grouped(events)} of ${grouped(total)} events, ${grouped(rate)}/s${left}`;
};

export const doneLine = ({ name, done, seconds }: Omit<Progress, 'state' | 'events' | 'total'>): string =>
  `${name}: ${grouped(done)} events in ${lengthOf(seconds)}, ${grouped(seconds > 0 ? done / seconds : 0)}/s`;
