/** The zones of the schedules whose answers were handed out, so that they can be shown in them. */
const zones = new WeakMap<object, string>();

export function rememberZone(answer: object, timezone: string): void {
  zones.set(answer, timezone);
}

export function rememberedZone(answer: object): string | undefined {
  return zones.get(answer);
}
