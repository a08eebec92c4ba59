/** The time zones of schedules whose answers a test has received, so that their times can be shown in these zones. */
const zones = new WeakMap<object, string>();

export function rememberZone(answer: object, timezone: string): void {
  zones.set(answer, timezone);
}

export function rememberedZone(answer: object): string | undefined {
  return zones.get(answer);
}
