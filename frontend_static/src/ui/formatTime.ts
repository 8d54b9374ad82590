/** Relative and exact times as text. */

const STEPS: readonly [limit: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, "second"],
  [3600, 60, "minute"],
  [86_400, 3600, "hour"],
  [604_800, 86_400, "day"],
  [2_629_800, 604_800, "week"],
  [31_557_600, 2_629_800, "month"],
  [Infinity, 31_557_600, "year"],
];

/** Made with its first use: the browser's tables of languages take longer than many a drawing. */
let relativeFormat: Intl.RelativeTimeFormat | undefined;

/** For example "3 min. ago", or "just now" for less than ten seconds. Arguments in milliseconds. */
export function relative(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  const away = Math.abs(seconds);
  if (away < 10) return "just now";
  const [, size, unit] = STEPS.find(([limit]) => away < limit) ?? STEPS[6]!;
  relativeFormat ??= new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
  return relativeFormat.format(Math.trunc(seconds / size), unit);
}

/** Date and time to the second, in the browser's time zone. */
export function exact(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/** For example "14:05:09". For logs and banners. */
export function clock(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour12: false });
}

/** For example "840 ms", "3.2 s", "4 min 10 s" or "2 h 10 min". Run lists of the server show the same. */
export function duration(milliseconds: number): string {
  if (Math.round(milliseconds) < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A cost in USD, with as many decimals as small amounts need. */
export function costText(cost: number): string {
  if (cost === 0) return "$0";
  const digits = cost >= 1 ? 2 : cost >= 0.01 ? 3 : 5;
  // Half of the last digit is rounded up, however the sum of its parts was rounded.
  return `$${(cost + 1e-9).toFixed(digits)}`;
}
