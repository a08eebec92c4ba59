import { type RawBuilder, sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';
import { WAITING } from '../take-waiting';

/**
 * With this migration, a trigger takes waiting firings from the lanes that it knows, and reads each lane from an
 * instant on. While a snapshot stays open, the index `firings_waiting` keeps an entry of each firing that was taken
 * since. A read of all lanes scans all of these entries, so a trigger makes such reads rarely.
 */
export function lanes(schema: string): LedgerMigration {
  return { oldestProgram: 8, steps: [step(waitingLanes(schema), takeFromLanes(schema))] };
}

/** The functions of this migration have the same settings as `take_waiting`. */
const PINNED = sql`set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
    set jit = off set plan_cache_mode = force_generic_plan`;

/**
 * `waiting_lanes` returns the lanes with waiting firings, by name, each with its earliest `ready_at`. The function
 * returns at most a given number of lanes per namespace.
 */
function waitingLanes(schema: string): RawBuilder<unknown> {
  const firings = sql.id(schema, 'firings');
  return sql`create function ${sql.id(schema, 'waiting_lanes')}(of_each int)
    returns table (lane_namespace text, lane_late boolean, lane_tenant text, lane_queue text, first_ready_at timestamptz)
    language plpgsql stable
    ${PINNED}
    as $$
    declare
      lanes_of_namespace int;
    begin
      lane_namespace := '';
      loop
        select f.namespace into lane_namespace from ${firings} f
          where ${WAITING} and f.namespace > lane_namespace order by f.namespace limit 1;
        exit when not found;
        lanes_of_namespace := 0;
        foreach lane_late in array array[false, true] loop
          lane_tenant := ''; lane_queue := '';
          while lanes_of_namespace < of_each loop
            select f.tenant, f.task_queue, f.ready_at into lane_tenant, lane_queue, first_ready_at from ${firings} f
              where f.namespace = lane_namespace and ${WAITING} and f.late = lane_late
                and (f.tenant, f.task_queue) > (lane_tenant, lane_queue)
              order by f.tenant, f.task_queue, f.ready_at limit 1;
            exit when not found;
            lanes_of_namespace := lanes_of_namespace + 1;
            return next;
          end loop;
        end loop;
      end loop;
    end $$`;
}

/**
 * `take_from_lanes` takes the next waiting firings of the given lanes in turn, and announces their starts. Each lane
 * belongs to a part, as in `take_waiting`. The function takes no firing that was ready before its lane's instant.
 */
function takeFromLanes(schema: string): RawBuilder<unknown> {
  const firings = sql.id(schema, 'firings');
  return sql`create function ${sql.id(schema, 'take_from_lanes')}(ns text, taker uuid, announced_at timestamptz, look_at timestamptz,
      at_most int, on_time_from timestamptz, lane_parts int[], lane_tenants text[], lane_queues text[], lane_from timestamptz[],
      capped_queues text[], capped_left int[], without text[])
    returns table (part int, lane_tenant text, lane_queue text, held_back boolean, firing ${firings})
    language plpgsql
    ${PINNED}
    as $$
    #variable_conflict use_column
    declare
      open_lanes int[]; more_lanes int[]; lane int; is_held boolean;
      this_tenant text; this_queue text; lower_bound timestamptz; upper_bound timestamptz;
      capped int; share int; wanted int; got int; remaining int := at_most;
    begin
      for this_part in 1..3 loop
        exit when remaining <= 0;
        is_held := false;
        upper_bound := case when this_part = 2 then on_time_from else 'infinity' end;
        open_lanes := array(select i from generate_subscripts(lane_parts, 1) i where lane_parts[i] = this_part);
        while cardinality(open_lanes) > 0 and remaining > 0 loop
          share := greatest(1, remaining / cardinality(open_lanes));
          more_lanes := '{}';
          foreach lane in array open_lanes loop
            exit when remaining <= 0;
            this_tenant := lane_tenants[lane]; this_queue := lane_queues[lane];
            lower_bound := case when this_part = 1 then greatest(on_time_from, lane_from[lane]) else lane_from[lane] end;
            capped := array_position(capped_queues, this_queue);
            wanted := least(share, remaining, capped_left[capped]);
            if wanted <= 0 then
              is_held := true;
              continue;
            end if;
            return query
              update ${firings} f set owner = taker, check_at = look_at, first_attempted_at = announced_at,
                start_attempted_at = announced_at
              from (select f.schedule_id as id, f.scheduled_time as at from ${firings} f
                where f.namespace = ns and ${WAITING} and f.late = (this_part = 3) and f.tenant = this_tenant and f.task_queue = this_queue
                  and f.ready_at >= lower_bound and f.ready_at < upper_bound and f.schedule_id <> all(without)
                order by f.ready_at, f.scheduled_time, f.schedule_id limit wanted for no key update skip locked) page
              where f.schedule_id = page.id and f.scheduled_time = page.at
              returning this_part, this_tenant, this_queue, false, f;
            get diagnostics got = row_count;
            remaining := remaining - got;
            if capped is not null then
              capped_left[capped] := capped_left[capped] - got;
            end if;
            if got = wanted then
              more_lanes := more_lanes || lane;
            end if;
          end loop;
          open_lanes := more_lanes;
        end loop;
        if is_held then
          part := this_part; lane_tenant := null; lane_queue := null; held_back := true;
          return next;
        end if;
      end loop;
    end $$`;
}
