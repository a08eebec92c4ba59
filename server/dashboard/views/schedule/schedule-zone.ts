/**
 * The time zone in which the server reads local times of a schedule. The described spec has this zone even if
 * `CRON_TZ=` names it. The registered spec then lacks it.
 */
export function zoneOf({ spec }: { spec: { timezone?: string } }): string {
  return spec.timezone || 'UTC';
}
