/*
 * Adds the SQL functions that tell how the banks of shared memory serve an access (query/query.h).
 */
#include <math.h>

#include "catalog/bank_model.h"
#include "query/query.h"

/* Returns a whole number from 0 on, or -1 for anything else. */
static int whole_number(sqlite3_value *value)
{
    const double number = sqlite3_value_double(value);
    const int is_whole = sqlite3_value_type(value) != SQLITE_NULL && number >= 0 && number < 1e9 &&
                         number == floor(number);
    return is_whole ? (int)number : -1;
}

/* Returns the number of a lane, or -1. */
static int lane_number(sqlite3_value *value)
{
    const int lane = whole_number(value);
    return lane < BANKS_LANES ? lane : -1;
}

static void lane_address(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct shared_access access;
    const int lane = lane_number(arguments[1]);
    (void)count;
    /* Kind and width do not matter: every address is a multiple of 4. */
    if (lane < 0 || shared_accesses_parse((const char *)sqlite3_value_text(arguments[0]),
                                          access_kind_name(ACCESS_LOAD), 4, &access))
        return;
    if (access.address[lane] != LANE_IDLE) sqlite3_result_int(context, access.address[lane]);
}

/* Serves the access of arguments kind, width_bytes and addresses. Returns 0 if it is not valid. */
static int serve(sqlite3_value **arguments, struct bank_service *service)
{
    struct shared_access access;
    const char *kind = (const char *)sqlite3_value_text(arguments[0]),
               *addresses = (const char *)sqlite3_value_text(arguments[2]);
    if (shared_accesses_parse(addresses, kind, whole_number(arguments[1]), &access)) return 0;
    bank_model_serve(&access, service);
    return 1;
}

static void lane_turn(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct bank_service service;
    const int lane = lane_number(arguments[3]);
    (void)count;
    if (lane >= 0 && serve(arguments, &service) && service.turn[lane] >= 0)
        sqlite3_result_int(context, service.turn[lane]);
}

static void lane_word(sqlite3_context *context, sqlite3_value **arguments, int is_delay)
{
    struct bank_service service;
    const int lane = lane_number(arguments[3]), word = whole_number(arguments[4]);
    if (lane < 0 || word < 0 || word >= BANKS_LANE_WORDS || !serve(arguments, &service)) return;
    const int found = is_delay ? service.delay[lane][word] : service.wavefront[lane][word];
    if (found >= 0) sqlite3_result_int(context, found);
}

static void lane_wavefront(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    lane_word(context, arguments, 0);
}

static void lane_delay(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    lane_word(context, arguments, 1);
}

int query_add_access_functions(struct query *query)
{
    int status = query_add_function(query, "lane_address", 2, lane_address, NULL, NULL);
    if (status == SQLITE_OK)
        status = query_add_function(query, "lane_turn", 4, lane_turn, NULL, NULL);
    if (status == SQLITE_OK)
        status = query_add_function(query, "lane_wavefront", 5, lane_wavefront, NULL, NULL);
    if (status == SQLITE_OK)
        status = query_add_function(query, "lane_delay", 5, lane_delay, NULL, NULL);
    return status;
}
