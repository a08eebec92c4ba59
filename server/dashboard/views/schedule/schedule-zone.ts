/**
 * The time zone in which the server reads local times of a schedule. The described spec has the zone in its field
 * `timezone`, even if `CRON_TZ=` in an expression names it. The registered spec then lacks this field.
 */
export function zoneOf({ spec }: { spec: { timezone?: string } }): string {
  return spec.timezone || 'UTC';
}
