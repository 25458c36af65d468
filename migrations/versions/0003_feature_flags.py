"""The five feature flags, all off (seed 001, deployment steps; seed 000, Expand).

A static seed of five rows; a flag that is already there keeps its state.
"""

from sqlalchemy import String, column, table

from daemon.ddl import DATETIME6, TINYINT1, DowngradeRefused, SchemaChange

revision = "0003"
down_revision = "0002"

feature_flags = table(
    "feature_flags",
    column("flag_key", String(100)),
    column("enabled", TINYINT1),
    column("description", String(1000)),
    column("created_at", DATETIME6),
    column("updated_at", DATETIME6),
)

FLAGS = {
    "posting.auto-close": "연속 2회 미발견 공고와 마감일이 지난 공고를 자동으로 마감 처리한다",
    "notification.discord-dispatch": "매일 09:00 알림을 디스코드로 발송한다",
    "posting.cross-source-dedup": "여러 출처에 올라온 같은 공고를 08:30에 하나로 묶는다",
    "aggregator.collection": "애그리게이터(사람인·점핏·원티드·리멤버·잡코리아·서핏)를 수집한다",
    "posting.collection-dispatch-v2": "중단 후 이어서 수집하는 v2 엔진(cycle·lease·09:00 SLA)으로 수집한다",
}


def upgrade(change: SchemaChange) -> None:
    rows = [{"flag_key": key, "enabled": 0, "description": description} for key, description in FLAGS.items()]
    change.insert_absent(feature_flags, "flag_key", rows)


def downgrade(change: SchemaChange) -> None:
    switched_on = feature_flags.select().where(feature_flags.c.enabled != 0)
    if change.connection.execute(switched_on).first() is not None:
        raise DowngradeRefused("feature_flags", "has a flag that is on")
    change.delete_rows(feature_flags, "flag_key", FLAGS)
