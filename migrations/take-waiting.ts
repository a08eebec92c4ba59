import { type RawBuilder, sql } from 'kysely';

/** The index `firings_waiting` has the same condition. */
export const WAITING = sql`f.state = 'claimed' and f.owner is null and f.first_attempted_at is null and f.task_queue is not null`;

/**
 * `take_waiting` takes the next waiting firings of a namespace and announces their starts. A lane is a tenant and a
 * task queue. Lanes take turns, so that each gets starts. The function first takes firings that are on time, then those
 * that have waited longer, then those that were missed.
 *
 * `take_waiting` is a function because a function can fix its plan by settings. After a burst the statistics may show
 * an empty index, and the planner would then sort all waiting firings for each batch. The function runs with the
 * caller's rights.
 */
export function takeWaiting(schema: string): RawBuilder<unknown> {
  const firings = sql.id(schema, 'firings');
  return sql`create function ${sql.id(schema, 'take_waiting')}(ns text, taker uuid, announced_at timestamptz, look_at timestamptz,
      at_most int, on_time_from timestamptz, parts int, after_tenants text[], after_queues text[],
      capped_queues text[], capped_left int[], without text[])
    returns table (part int, lane_tenant text, lane_queue text, held_back boolean, firing ${firings})
    language plpgsql
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
    set jit = off set plan_cache_mode = force_generic_plan
    as $$
    #variable_conflict use_column
    declare
      -- One firing from each of these lanes fills the page. If there are more lanes, the next call continues behind these.
      lanes_at_most int := greatest(at_most, 100); lanes_looked_at int; is_held boolean; has_wrapped boolean;
      first_tenant text; first_queue text; this_tenant text; this_queue text;
      open_tenants text[]; open_queues text[]; more_tenants text[]; more_queues text[];
      lower_bound timestamptz; upper_bound timestamptz;
      capped int; share int; wanted int; got int; remaining int := at_most;
    begin
      for this_part in 1..parts loop
        exit when remaining <= 0;
        lower_bound := case when this_part = 1 then on_time_from else '-infinity' end;
        upper_bound := case when this_part = 2 then on_time_from else 'infinity' end;

        -- Which lanes there are, from behind the last one that had its turn. A capped one is passed by its name alone.
        first_tenant := after_tenants[this_part]; first_queue := after_queues[this_part];
        this_tenant := first_tenant; this_queue := first_queue;
        open_tenants := '{}'; open_queues := '{}'; lanes_looked_at := 0; is_held := false; has_wrapped := (first_tenant, first_queue) = ('', '');
        while lanes_looked_at < lanes_at_most loop
          select f.tenant, f.task_queue into this_tenant, this_queue from ${firings} f
            where f.namespace = ns and ${WAITING} and f.late = (this_part = 3) and (f.tenant, f.task_queue) > (this_tenant, this_queue)
            order by f.tenant, f.task_queue limit 1;
          if not found then
            exit when has_wrapped;
            has_wrapped := true; this_tenant := ''; this_queue := '';
            continue;
          end if;
          exit when has_wrapped and (first_tenant, first_queue) <> ('', '') and (this_tenant, this_queue) > (first_tenant, first_queue);
          lanes_looked_at := lanes_looked_at + 1;
          capped := array_position(capped_queues, this_queue);
          if capped_left[capped] <= 0 then
            is_held := true;
          else
            open_tenants := open_tenants || this_tenant; open_queues := open_queues || this_queue;
          end if;
        end loop;
        if lanes_looked_at = lanes_at_most then
          part := this_part; lane_tenant := this_tenant; lane_queue := this_queue; held_back := false;
          return next;
        end if;

        -- Rounds of turns: an equal share of what is left to each lane that has more.
        while cardinality(open_tenants) > 0 and remaining > 0 loop
          share := greatest(1, remaining / cardinality(open_tenants));
          more_tenants := '{}'; more_queues := '{}';
          for lane in 1..cardinality(open_tenants) loop
            exit when remaining <= 0;
            this_tenant := open_tenants[lane]; this_queue := open_queues[lane];
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
              more_tenants := more_tenants || this_tenant; more_queues := more_queues || this_queue;
            end if;
          end loop;
          open_tenants := more_tenants; open_queues := more_queues;
        end loop;
        if is_held then
          part := this_part; lane_tenant := null; lane_queue := null; held_back := true;
          return next;
        end if;
      end loop;
    end $$`;
}
