/**
 * The time zone in which the server reads local times of a schedule. The described spec has it also where `CRON_TZ=`
 * names it; the registered one has not.
 */
export function zoneOf({ spec }: { spec: { timezone?: string } }): string {
  return spec.timezone || 'UTC';
}
